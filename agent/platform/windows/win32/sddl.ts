import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Out } from '../library.ts'

interface Sddl {
  /** The text is released with `localFree`. */
  convertSidToStringSid: (sid: Address, text: Out<Address>) => boolean
  /** The descriptor is released with `localFree`. */
  convertStringSecurityDescriptorToSecurityDescriptor: (
    text: string,
    revision: 1,
    descriptor: Out<Address>,
    size: null,
  ) => boolean
}

export const sddl = nativeFunctions((koffi): Sddl => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    convertSidToStringSid: advapi32.func('bool __stdcall ConvertSidToStringSidW(void *sid, _Out_ void **text)'),
    convertStringSecurityDescriptorToSecurityDescriptor: advapi32.func(
      'bool __stdcall ConvertStringSecurityDescriptorToSecurityDescriptorW(str16 text, uint32 revision, _Out_ void **descriptor, void *size)',
    ),
  }
})
