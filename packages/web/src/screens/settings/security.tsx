import { ScreenFrame } from '../../parts/screen.tsx'
import { Factors } from './factors.tsx'

export function Screen() {
  return (
    <ScreenFrame title="Security">
      <Factors />
    </ScreenFrame>
  )
}
