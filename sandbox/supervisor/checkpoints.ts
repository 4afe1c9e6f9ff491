// Checkpoints, not yet.

import type { Commands } from './commands.ts'
import { Failure } from './failure.ts'
import type { Checkpoint, RestoreResult, TreeDiff } from './protocol.ts'
export class Checkpoints {
  readonly commands: Commands
  constructor(_folder: string, _workspace: string, commands: Commands) {
    this.commands = commands
  }
  async make(_base: string | null): Promise<Checkpoint> {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
  async diff(_d: { from: string; to: string; path: string | null }): Promise<TreeDiff> {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
  async unified(_d: { from: string; to: string; path: string | null; context: number }): Promise<Buffer> {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
  async file(_t: string, _p: string): Promise<Buffer> {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
  async restore(_t: string): Promise<RestoreResult> {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
  async takePack(_b: Buffer): Promise<number> {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
  packPath(_id: string): string {
    throw new Failure('sandbox_unavailable', 'Checkpoints are not there yet.', 'Go on without.')
  }
}
