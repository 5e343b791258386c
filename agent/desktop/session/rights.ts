import type { SessionPolicy } from '../../../shared/remote-control/policy.ts'

type SessionRight = keyof SessionPolicy

const refusals: Record<SessionRight, string> = {
  canInteract: 'You may watch this device, but not use its pointer and keyboard.',
  canReadClipboard: 'You may not read the clipboard of this device.',
  canWriteClipboard: 'You may not put anything on the clipboard of this device.',
  canBlockInput: 'You may not block the pointer and keyboard of this device, or blank its screens.',
  canUseSecureDesktop: 'You may not use the secure desktop of this device.',
  canHear: 'You may not hear the sound of this device.',
}

/** Rights of the viewer; each rejection is reported once. */
export class SessionRights {
  readonly #policy: SessionPolicy
  readonly #tell: (refusal: string) => void
  readonly #reported = new Set<SessionRight>()

  constructor(policy: SessionPolicy, tell: (refusal: string) => void) {
    this.#policy = policy
    this.#tell = tell
  }

  has(right: SessionRight): boolean {
    return this.#policy[right]
  }

  /** Sentence for a right that is missing; undefined if it is granted. */
  refusalOf(right: SessionRight): string | undefined {
    return this.has(right) ? undefined : refusals[right]
  }

  /** Returns whether the right is granted; reports the first rejection to the viewer. */
  permits(right: SessionRight): boolean {
    if (!this.has(right) && !this.#reported.has(right)) {
      this.#reported.add(right)
      this.#tell(refusals[right])
    }
    return this.has(right)
  }
}
