import { expect, test } from 'vitest'
import { isCovered } from '../../../../renderer/pages/network/covered.ts'

test.each([
  ['https://farhand.example.org:5121', ['farhand.example.org'], true],
  ['https://farhand.example.org', ['*.example.org'], true],
  ['https://a.farhand.example.org', ['*.example.org'], false],
  ['https://farhand.local:5121', ['farhand.example.org'], false],
  ['https://192.168.1.7:5121', ['192.168.1.7'], true],
  ['https://[fd00::1]:5121', ['fd00::1'], true],
  ['https://localhost:5121', ['*.localhost'], false],
])('a certificate covers %s by %s: %s', (address, names, is) => {
  expect(isCovered(address, names)).toBe(is)
})
