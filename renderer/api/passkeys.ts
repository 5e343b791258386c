import type { z } from 'zod'
import type { NewCredential, SignedCredential } from '../../shared/dtos/passkey.ts'

/**
 * Whether this browser can use passkeys here. The functions that read and write JSON came last to browsers; they spare
 * us a library.
 */
export const supportsPasskeys = (): boolean =>
  window.isSecureContext && 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Whether the browser offers passkeys in the menu of a field. */
export const supportsAutofill = async (): Promise<boolean> =>
  supportsPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

/** The person dismissed the browser's dialog, or another one took its place. */
export const isDismissed = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')

/** The authenticator has a passkey of this account already. */
export const isKnownHere = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'InvalidStateError'

type Options = Record<string, unknown>

const jsonOf = (credential: Credential | null): unknown => (credential as PublicKeyCredential).toJSON()

/** Asks the browser for a new passkey. */
export async function createPasskey(options: Options): Promise<z.input<typeof NewCredential>> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  return jsonOf(await navigator.credentials.create({ publicKey })) as z.input<typeof NewCredential>
}

/** Asks the browser to sign a challenge; with `conditional`, once the person chooses a passkey in a field's menu. */
export async function signChallenge(
  options: Options,
  more: { mediation?: 'conditional'; signal?: AbortSignal } = {},
): Promise<z.input<typeof SignedCredential>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return jsonOf(await navigator.credentials.get({ publicKey, ...more })) as z.input<typeof SignedCredential>
}
