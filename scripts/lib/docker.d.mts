/** Removes containers and volumes that carry the installation's label. */
export function removeInstallation(host: string, installId: string): Promise<void>
