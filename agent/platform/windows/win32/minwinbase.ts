import { nativeType } from '../../../base/native-functions.ts'
import type { Address } from '../library.ts'

export interface SecurityAttributes {
  length: number
  descriptor?: Address
  isInherited: boolean
}

export const securityAttributes = nativeType((koffi) =>
  koffi.struct('SECURITY_ATTRIBUTES', { length: 'uint32', descriptor: 'void *', isInherited: 'bool' }),
)

export const overlapped = nativeType((koffi) =>
  koffi.struct('OVERLAPPED', {
    status: 'uintptr',
    byteCount: 'uintptr',
    low: 'uint32',
    high: 'uint32',
    event: 'intptr',
  }),
)
