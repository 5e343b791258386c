import { createEvent } from './create-event.ts'

/** Queue of requests that wait for a person to sign in or confirm. */
export interface WaitingRequests {
  /** Waits; true if the request should be sent again. */
  wait(): Promise<boolean>
  /** Releases all waiting requests. */
  end(isWorthRepeating: boolean): void
  isWaiting(): boolean
  onChange(listener: () => void): () => void
}

function createWaitingRequests(): WaitingRequests {
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

/** Requests of an expired session, until the user signs in again. */
export const signInAgain = createWaitingRequests()

/** Requests that need recent authentication, until the user confirms or cancels. */
export const proof = createWaitingRequests()

/**
 * Keys go only to the dialog on top: Escape would otherwise close the dialog below and discard its input. This file
 * must be loaded before any dialog registers a listener.
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
