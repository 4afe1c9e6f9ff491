/** What the browser may know of the procedures: their names and shapes, as a type. */
export type { AppRouter } from './router.ts'
