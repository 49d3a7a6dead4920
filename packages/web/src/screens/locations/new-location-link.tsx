import { useLocation } from 'wouter'
import { ActionButton } from '../../parts/button.tsx'

/** Slugs can't begin with an underscore, so no location has this path. */
const newLocationPath = '/locations/_new'

export function NewLocationLink({ denial }: { denial: string | null }) {
  const [, navigate] = useLocation()
  return (
    <ActionButton look="primary" denial={denial} onPress={() => navigate(newLocationPath)}>
      New private location
    </ActionButton>
  )
}
