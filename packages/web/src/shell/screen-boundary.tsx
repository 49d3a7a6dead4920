// A screen that fails doesn't take the others with it.
import { Component, type ReactNode } from 'react'
import { Failure } from '../parts/states.tsx'

export class ScreenBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return <Failure what="This screen" error={error} onRetry={() => this.setState({ error: null })} isWhole />
  }
}
