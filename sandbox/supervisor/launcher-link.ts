// The supervisor's end of the launcher's control stream: starts it, speaks its lines, starts it again when it dies.
// Knows nothing of output or HTTP.
import { type ChildProcess, spawn } from 'node:child_process'
import { Duplex } from 'node:stream'
import type { CommandMode } from './protocol.ts'

const LAUNCHER = '/opt/baton/launcher'
const RESTART_DELAY_MS = 50
const modes: Record<CommandMode, number> = { 'read-only': 0, 'workspace-write': 1, 'full-access': 2 }

/** What the launcher tells of one job, in this order; `lost` may come at any point and is the last. */
export interface Job {
  /** The ends of its pipes, to be opened at once: paths under /proc. */
  started(pid: number, inputPath: string, outputPath: string): void
  failed(errno: number): void
  /** A wait status as waitpid(2) gives it. */
  exited(status: number): void
  /** Nothing of the tree is left after a kill. */
  killed(): void
  /** Nothing of the tree is left. */
  finished(): void
  lost(): void
}

export class LauncherLink {
  landlockAbi = 0
  ready = false
  private process: ChildProcess | undefined
  private control: Duplex | undefined
  private rest = ''
  private readonly jobs = new Map<number, Job>()
  private ids = 0
  private readonly env: NodeJS.ProcessEnv
  private readonly onReady: () => void

  constructor(env: NodeJS.ProcessEnv, onReady: () => void) {
    this.env = env
    this.onReady = onReady
  }

  get pid(): number {
    return this.process?.pid ?? 0
  }

  start(): void {
    const child = spawn(LAUNCHER, [], {
      cwd: '/',
      env: this.env,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    })
    const control = child.stdio[3]
    if (!(control instanceof Duplex)) throw new Error('the launcher has no control stream')
    this.process = child
    this.control = control
    this.rest = ''
    control.setEncoding('latin1')
    control.on('data', (text: string) => this.take(text))
    control.on('error', () => child.kill('SIGKILL'))
    let over = false
    const gone = (): void => {
      if (over) return
      over = true
      this.ready = false
      const lost = [...this.jobs.values()]
      this.jobs.clear()
      for (const job of lost) job.lost()
      setTimeout(() => this.start(), RESTART_DELAY_MS)
    }
    child.on('error', gone)
    child.on('exit', gone)
  }

  run(job: Job, mode: CommandMode, tty: { rows: number; cols: number } | undefined, script: Buffer): number {
    const id = ++this.ids
    this.jobs.set(id, job)
    const size = tty ? `1 ${tty.rows} ${tty.cols}` : '0 0 0'
    const head = Buffer.from(`R ${id} ${modes[mode]} ${size} ${script.length}\n`)
    this.control?.write(script.length < 65_536 ? Buffer.concat([head, script]) : head)
    if (script.length >= 65_536) this.control?.write(script)
    return id
  }

  /** The pipes' ends are open on our side: the launcher may close its own. */
  opened(id: number): void {
    this.control?.write(`O ${id}\n`)
  }

  kill(id: number): void {
    this.control?.write(`K ${id}\n`)
  }

  signal(id: number, signal: number): void {
    this.control?.write(`S ${id} ${signal}\n`)
  }

  resize(id: number, rows: number, cols: number): void {
    this.control?.write(`W ${id} ${rows} ${cols}\n`)
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.line(line)
  }

  private line(line: string): void {
    const [what, ...words] = line.split(' ')
    const [id = 0, a = 0, b = 0, c = 0] = words.map(Number)
    if (what === 'h') {
      this.landlockAbi = id
      this.ready = true
      this.onReady()
      return
    }
    const job = this.jobs.get(id)
    if (!job) return
    if (what === 's') {
      const folder = `/proc/${this.pid}/fd`
      job.started(a, `${folder}/${b}`, `${folder}/${c}`)
    }
    if (what === 'x') job.exited(a)
    if (what === 'k') job.killed()
    if (what === 'f' || what === 'e') this.jobs.delete(id)
    if (what === 'f') job.finished()
    if (what === 'e') job.failed(a)
  }
}
