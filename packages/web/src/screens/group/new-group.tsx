import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { newGroup } from '../../forms/schemas/group.ts'
import { ScreenFrame } from '../../parts/screen.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { GroupForm } from './group-form.tsx'
import { createGroup } from './save-group.ts'

export function Screen() {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [saved] = useState(newGroup)
  const created = useRef(0)
  return (
    <ScreenFrame title="New group" trail={<Link href="/checks">Checks</Link>}>
      <p className="muted-text">
        A group sets locations, variables, alert settings and more for all its checks.
      </p>
      <GroupForm
        draftKey="group/new"
        isNew
        saved={saved}
        save={async (values) => {
          const { id } = await createGroup(values)
          created.current = id
        }}
        onSaved={() => {
          void queries.invalidateQueries()
          navigate(`/groups/${created.current}`)
          showOutcome('The group is created. Add checks to it.')
        }}
      />
    </ScreenFrame>
  )
}
