/** Absolute paths inside every container. */
export const workspacePath = '/workspace'
export const homePath = '/home/agent'
