import { nativeFunctions } from '../../../base/native-functions.ts'

/** Characters of a product code with its terminator. */
export const productCodeLength = 39

interface Msi {
  /** Writes the code of an installed product with this upgrade code into `product`, UTF-16. */
  msiEnumRelatedProducts: (upgradeCode: string, reserved: 0, index: number, product: Buffer) => number
}

export const msi = nativeFunctions((koffi): Msi => {
  const library = koffi.load('msi.dll')
  return {
    msiEnumRelatedProducts: library.func(
      'uint32 __stdcall MsiEnumRelatedProductsW(str16 upgradeCode, uint32 reserved, uint32 index, void *product)',
    ),
  }
})
