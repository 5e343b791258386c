import { readFileSync } from 'node:fs'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'

interface Measured {
  length: number
  sha256: string
}

interface SignedUpdate {
  /** Private key in hex. */
  seed: string
  message: { dto: DeviceUpdateRequestDto; timestamp: string; signature: string; publicKey: string }
  /** Update as MessagePack, and the signed payload. */
  update: Measured
  payload: Measured
}

/** Signed update published in docs/hubs.md; its bytes were cross-checked with independent libraries. */
export const signedUpdate = () =>
  JSON.parse(readFileSync(new URL('../../test/fixtures/signed-update.json', import.meta.url), 'utf8')) as SignedUpdate
