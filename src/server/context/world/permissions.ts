/** What commands and edits may do, and what happens when they try more. */
import type { ThreadSettings } from '../../../protocol/settings.ts'
import type { Section } from './section.ts'

const files: Record<ThreadSettings['permission'], string> = {
  'read-only':
    'Files: read-only. You may read everything and run commands, but nothing can be written; explain what you would change.',
  'workspace-write':
    'Files: you may write in the workspace, in your home and in /tmp. The rest is read-only.',
  'full-access': 'Files: whatever is writable in the container may be written.',
}

const network: Record<ThreadSettings['egress'], string> = {
  none: 'Network: none. Package registries, git remotes and web pages cannot be reached; do not try again and again.',
  allowlist:
    'Network: only hosts that the project allows. A refused host is shown to the person, who can allow it.',
  public: 'Network: public hosts can be reached; private addresses cannot.',
}

const approvals: Record<ThreadSettings['approvals'], string> = {
  never: 'Approvals: nobody is asked. What is not permitted fails; find another way or say what is needed.',
  'on-request': 'Approvals: for more than this you may ask the person, who can allow it.',
  untrusted: 'Approvals: the person is asked before commands that are not known to be harmless.',
}

export const permissionsSection = (
  settings: Pick<ThreadSettings, 'permission' | 'approvals' | 'egress'>,
): Section => {
  const lines = [files[settings.permission], network[settings.egress], approvals[settings.approvals]]
  const value = `<permissions>\n${lines.join('\n')}\n</permissions>`
  return {
    id: 'permissions',
    role: 'developer',
    value,
    changed: () => `The permissions changed. Only these hold from now on:\n${value}`,
  }
}
