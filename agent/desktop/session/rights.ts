import { openPolicy, type SessionPolicy } from '../../../shared/remote-control/policy.ts'

export type SessionRight = keyof SessionPolicy

const refusals: Record<SessionRight, string> = {
  canInteract: 'You may watch this device, but not use its pointer and keyboard.',
  canReadClipboard: 'You may not read the clipboard of this device.',
  canWriteClipboard: 'You may not put text on the clipboard of this device.',
  canBlockInput: 'You may not block the pointer and keyboard of this device.',
}

/** What the viewer may do at the moment; each refusal is told once. */
export class SessionRights {
  #policy = openPolicy
  readonly #told = new Set<SessionRight>()
  readonly #tell: (refusal: string) => void

  constructor(tell: (refusal: string) => void) {
    this.#tell = tell
  }

  set(policy: SessionPolicy): void {
    this.#policy = policy
    this.#told.clear()
  }

  has(right: SessionRight): boolean {
    return this.#policy[right]
  }

  /** Whether it may go on; a refusal is told. */
  permits(right: SessionRight): boolean {
    if (!this.has(right) && !this.#told.has(right)) {
      this.#told.add(right)
      this.#tell(refusals[right])
    }
    return this.has(right)
  }
}
