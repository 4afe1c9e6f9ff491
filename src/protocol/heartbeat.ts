/**
 * The beat of an open tab, for both ends: the server pings this often, and a client that hears nothing for three beats
 * counts the connection as gone.
 */
export const heartbeatMs = 10_000
export const watchdogMs = 3 * heartbeatMs
