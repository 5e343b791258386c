import { createEvent } from './event.ts'

/** What requests wait for until a person has done something about them. */
export interface Hold {
  /** Waits with all others; true when the request is worth sending once more. */
  wait(): Promise<boolean>
  /** Lets everybody go. */
  end(isWorthRepeating: boolean): void
  isWaiting(): boolean
  onChange(listener: () => void): () => void
}

function createHold(): Hold {
  const changes = createEvent<void>()
  let waiting: PromiseWithResolvers<boolean> | undefined
  return {
    wait() {
      waiting ??= Promise.withResolvers()
      changes.emit()
      return waiting.promise
    },
    end(isWorthRepeating) {
      waiting?.resolve(isWorthRepeating)
      waiting = undefined
      changes.emit()
    },
    isWaiting: () => waiting !== undefined,
    onChange: changes.on,
  }
}

/** Requests of a session that has ended, until its user signs in again. */
export const signInAgain = createHold()

/** Requests for which the user has to prove who they are, until they do or decline. */
export const proof = createHold()

/**
 * Keys are for the dialog that asks, and not for what lies under it: Escape would close that, with what was typed there.
 * Listens before any dialog does, so this file is loaded first.
 */
window.addEventListener(
  'keydown',
  (event) => {
    if (!signInAgain.isWaiting() && !proof.isWaiting()) {
      return
    }
    if (event.key === 'Escape' && !signInAgain.isWaiting()) {
      proof.end(false)
    }
    if (!['Tab', 'Enter', ' '].includes(event.key)) {
      event.stopImmediatePropagation()
    }
  },
  { capture: true },
)
