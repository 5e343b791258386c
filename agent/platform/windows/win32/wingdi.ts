import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'

export interface Bitmap {
  bmWidth: number
  bmHeight: number
  bmBitsPixel: number
}

interface WinGdi {
  bitmapSize: number
  createCompatibleDc: (dc: Handle) => Handle
  deleteDc: (dc: Handle) => boolean
  createDibSection: (dc: Handle, info: Buffer, usage: 0, bits: Out<Address>, section: 0, offset: 0) => Handle
  getStockObject: (object: number) => Handle
  selectObject: (dc: Handle, object: Handle) => Handle
  deleteObject: (object: Handle) => boolean
  bitBlt: (
    target: Handle,
    x: number,
    y: number,
    width: number,
    height: number,
    source: Handle,
    fromX: number,
    fromY: number,
    operation: number,
  ) => boolean
  gdiFlush: () => boolean
  getObject: (object: Handle, size: number, bitmap: Partial<Bitmap>) => number
  getDiBits: (
    dc: Handle,
    bitmap: Handle,
    start: number,
    lines: number,
    bits: Buffer,
    info: Buffer,
    usage: number,
  ) => number
}

export const wingdi = nativeFunctions((koffi): WinGdi => {
  const gdi32 = koffi.load('gdi32.dll')
  const bitmap = koffi.struct('BITMAP', {
    bmType: 'int',
    bmWidth: 'int',
    bmHeight: 'int',
    bmWidthBytes: 'int',
    bmPlanes: 'uint16',
    bmBitsPixel: 'uint16',
    bmBits: 'void *',
  })
  return {
    bitmapSize: koffi.sizeof(bitmap),
    createCompatibleDc: gdi32.func('intptr __stdcall CreateCompatibleDC(intptr dc)'),
    deleteDc: gdi32.func('bool __stdcall DeleteDC(intptr dc)'),
    createDibSection: gdi32.func(
      'intptr __stdcall CreateDIBSection(intptr dc, void *info, uint32 usage, _Out_ void **bits, intptr section, uint32 offset)',
    ),
    getStockObject: gdi32.func('intptr __stdcall GetStockObject(int object)'),
    selectObject: gdi32.func('intptr __stdcall SelectObject(intptr dc, intptr object)'),
    deleteObject: gdi32.func('bool __stdcall DeleteObject(intptr object)'),
    bitBlt: gdi32.func(
      'bool __stdcall BitBlt(intptr target, int x, int y, int width, int height, intptr source, int fromX, int fromY, uint32 operation)',
    ),
    gdiFlush: gdi32.func('bool __stdcall GdiFlush()'),
    getObject: gdi32.func('int __stdcall GetObjectW(intptr object, int size, _Out_ BITMAP *bitmap)'),
    getDiBits: gdi32.func(
      'int __stdcall GetDIBits(intptr dc, intptr bitmap, uint32 start, uint32 lines, void *bits, void *info, uint32 usage)',
    ),
  }
})

const infoBytes = 40
/** Size of a color table for monochrome bitmaps, which GDI may write. */
const colorTableBytes = 8

/** `BITMAPINFO` of a picture with four bytes per pixel, first row on top. */
export function bitmapInfo(width: number, height: number): Buffer {
  const info = Buffer.alloc(infoBytes + colorTableBytes)
  info.writeUInt32LE(infoBytes, 0)
  info.writeInt32LE(width, 4)
  info.writeInt32LE(-height, 8)
  info.writeUInt16LE(1, 12)
  info.writeUInt16LE(32, 14)
  return info
}
