'use client'
import { Component, type ReactNode } from 'react'

type Props = { fallback: (error: Error) => ReactNode; children: ReactNode }

/** What breaks while it is drawn is replaced by itself as plain text; everything around it lives on. */
export class Boundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : this.props.fallback(this.state.error)
  }
}
