import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'
import { overlapped } from './minwinbase.ts'

interface IoApiSet {
  /** Allocates a cleared `OVERLAPPED`, freed by the caller. */
  allocateOverlapped: () => Address
  cancelIoEx: (file: Handle, overlapped: Address) => boolean
  getOverlappedResult: (file: Handle, overlapped: Address, byteCount: Out<number>, isWaiting: boolean) => boolean
}

export const ioapiset = nativeFunctions((koffi): IoApiSet => {
  const kernel32 = koffi.load('kernel32.dll')
  const type = overlapped(koffi)
  return {
    allocateOverlapped() {
      const memory: Address = koffi.alloc(type, 1)
      koffi.encode(memory, type, { status: 0, byteCount: 0, low: 0, high: 0, event: 0 })
      return memory
    },
    cancelIoEx: kernel32.func('bool __stdcall CancelIoEx(intptr file, void *overlapped)'),
    getOverlappedResult: kernel32.func(
      'bool __stdcall GetOverlappedResult(intptr file, void *overlapped, _Out_ uint32 *bytes, bool wait)',
    ),
  }
})
