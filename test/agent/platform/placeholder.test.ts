import { expect, test } from 'vitest'
import { placeholder } from '../../../agent/platform/windows/desktop/screen.ts'

test('a placeholder shows its text on a plain picture of the requested size', async () => {
  const reason = 'Windows shows its secure desktop: no program sees it, and so on & on for two lines.'
  const { width, height, pixels, stride } = await placeholder(reason, { width: 640, height: 480 })
  const colorAt = (x: number, y: number) => pixels.readUInt32LE(y * stride + x * 4) & 0xff_ff_ff
  expect({ width, height }).toEqual({ width: 640, height: 480 })
  expect(colorAt(5, 5)).toBe(0x1f_29_37)
  const colors = Array.from({ length: 640 * 480 }, (_, at) => colorAt(at % 640, Math.floor(at / 640)))
  expect(colors.filter((color) => color === 0xf9_fa_fb).length).toBeGreaterThan(50)
})
