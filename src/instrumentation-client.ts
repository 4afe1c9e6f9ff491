/**
 * Runs in the browser before any other code of ours. The content security policy forbids code made from text, which zod
 * would try; it is told not to, so that a report of the policy always means something.
 */
import { config } from 'zod'

config({ jitless: true })
