import { ownerOf, type Principal } from '../ground/principal.ts'
import type { Mark } from './block-file.ts'
import { AssemblyMemory } from './message-assembly.ts'
import { RecentMemory } from './recent-segments.ts'
import type { SessionRecorder } from './recorded-session.ts'

/** Memory for the last minutes of all sessions. */
const maxRecentBytes = 128 * 1024 * 1024

/** Recorders of the running sessions. */
export class Recorders {
  readonly memory = new RecentMemory(maxRecentBytes)
  readonly assembly = new AssemblyMemory()
  readonly #recorders = new Set<SessionRecorder>()
  readonly #ending = new Set<Promise<void>>()

  add(recorder: SessionRecorder): void {
    this.#recorders.add(recorder)
  }

  /** Recorder of a session of a principal, by the session's id, or the id of its terminal. */
  find(principal: Principal, id: string): SessionRecorder | undefined {
    const isThat = ({ session }: SessionRecorder) =>
      (session.id === id || session.terminalId === id) && ownerOf(session.principal) === ownerOf(principal)
    return [...this.#recorders].find(isThat)
  }

  /** Whether a session, or a terminal, may be recorded here. */
  has(id: string): boolean {
    return [...this.#recorders].some(({ session }) => session.id === id || session.terminalId === id)
  }

  /** Marks a file in the running recordings of a principal on a device. */
  mark(principal: Principal, deviceId: string, kind: Mark['kind'], text: string): void {
    for (const recorder of this.#recorders) {
      const { session } = recorder
      if (session.device.id === deviceId && ownerOf(session.principal) === ownerOf(principal)) {
        recorder.mark(kind, text)
      }
    }
  }

  /** Tells a device that has connected again which sessions are recorded: it may have missed a beginning. */
  tellAgain(deviceId: string): void {
    for (const recorder of this.#recorders) {
      if (recorder.session.device.id === deviceId && recorder.isRecording) {
        recorder.tellDevice()
      }
    }
  }

  /** Bytes of the running recordings of a tenant. */
  bytesOf(tenantId: string): number {
    const ofTenant = [...this.#recorders].filter(({ session }) => session.device.tenantId === tenantId)
    return ofTenant.reduce((sum, { storedBytes }) => sum + storedBytes, 0)
  }

  end(recorder: SessionRecorder): void {
    if (this.#recorders.delete(recorder)) {
      const ending: Promise<void> = recorder.end().finally(() => this.#ending.delete(ending))
      ending.catch(() => {})
      this.#ending.add(ending)
    }
  }

  /** Ends all recorders, and resolves when everything is stored. */
  async close(): Promise<void> {
    ;[...this.#recorders].forEach((recorder) => this.end(recorder))
    await Promise.allSettled(this.#ending)
  }
}
