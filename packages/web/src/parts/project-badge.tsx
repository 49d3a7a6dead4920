// Says which project as code a resource belongs to, and whether someone edited it since its deployment.

interface Bound {
  project?: { name: string; logicalId: string } | undefined
  logicalId?: string | undefined
  drifted?: boolean | undefined
}

export function ProjectBadge({ project, logicalId, drifted }: Bound) {
  if (project === undefined) return null
  return (
    <p className="project-badge">
      <span className="tag">
        Project {project.name}: {logicalId}
      </span>
      {drifted && (
        <span className="degraded">edited outside of the project; the next deployment overwrites it</span>
      )}
    </p>
  )
}
