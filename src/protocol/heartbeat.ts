/**
 * The beat of an open tab, for both ends: the server pings this often, and a client that hears nothing for three beats
 * counts the connection as gone.
 */
export const heartbeatMs = 10_000
export const watchdogMs = 3 * heartbeatMs
/** Close code of a socket whose session ended: the page goes to sign-in instead of connecting again. */
export const sessionEndedCode = 4_401
