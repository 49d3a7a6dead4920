import { Link } from 'wouter'
import { ScreenFrame } from './screen.tsx'

export function NotFound({ what = 'This page' }: { what?: string }) {
  return (
    <ScreenFrame title={`${what} doesn’t exist`} tabTitle="Not found">
      <p className="empty">
        It may have been deleted, or it belongs to another account. <Link href="/checks">All checks</Link> ·{' '}
        <Link href="/">Home</Link>
      </p>
    </ScreenFrame>
  )
}
