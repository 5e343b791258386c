import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle } from '../library.ts'
import { securityAttributes, type SecurityAttributes } from './minwinbase.ts'

interface NamedPipeApi {
  securityAttributesSize: number
  createNamedPipe: (
    name: string,
    openMode: number,
    pipeMode: number,
    instances: number,
    outBytes: number,
    inBytes: number,
    timeout: number,
    security: SecurityAttributes,
  ) => Handle
  connectNamedPipe: (pipe: Handle, overlapped: Address) => boolean
}

export const namedpipeapi = nativeFunctions((koffi): NamedPipeApi => {
  const kernel32 = koffi.load('kernel32.dll')
  const attributes = securityAttributes(koffi)
  return {
    securityAttributesSize: koffi.sizeof(attributes),
    createNamedPipe: kernel32.func(
      'intptr __stdcall CreateNamedPipeW(str16 name, uint32 openMode, uint32 pipeMode, uint32 instances, uint32 outBytes, uint32 inBytes, uint32 timeout, SECURITY_ATTRIBUTES *security)',
    ),
    connectNamedPipe: kernel32.func('bool __stdcall ConnectNamedPipe(intptr pipe, void *overlapped)'),
  }
})
