import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  cutUploads,
  forgetUpload,
  forgetUploads,
  keepUpload,
  setMissingParts,
  partArrived,
  partBegan,
  partFailed,
  restoreUploads,
  storeUploads,
  type KeptUpload,
} from '../../../../renderer/features/transfers/kept-uploads.ts'

/** Session storage of a tab. */
const stored = new Map<string, string>()
beforeEach(() => {
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > 10_000) {
        throw new Error('QuotaExceededError')
      }
      stored.set(key, value)
    },
    removeItem: (key: string) => void stored.delete(key),
  })
  restoreUploads('ada')
})
afterEach(() => {
  forgetUploads()
  stored.clear()
})

const part = (name: string) => ({
  uploadId: name,
  folders: [],
  file: { name, size: 1, modifiedAt: 2 },
  name,
  overwrite: false,
})
const upload = (id: string, ...names: string[]): KeptUpload => ({
  id,
  place: { deviceId: 'd', tenantId: 't' },
  deviceName: 'D',
  target: '/',
  name: id,
  parts: names.map(part),
})
/** Interrupted uploads that a reload of the same tab lists. */
const reload = (user = 'ada') => {
  storeUploads()
  ;['one', 'two'].forEach(forgetUpload)
  restoreUploads(user)
  return cutUploads()
}

test('uploads unfinished when the page closes are listed in the next page, and not in a copy of the tab', () => {
  keepUpload(upload('one', 'a', 'b'))
  keepUpload(upload('two', 'c'))
  partArrived('one', 'a')
  partArrived('two', 'c')
  expect(stored.size).toBe(0)
  expect(reload()).toEqual([upload('one', 'b')])
  expect(stored.size).toBe(0)
})

test('a resumed upload is not listed, and is listed again after the next reload if unfinished', () => {
  keepUpload(upload('one', 'a', 'b'))
  reload()
  setMissingParts('one', [part('b')])
  expect(reload()).toEqual([upload('one', 'b')])
  setMissingParts('one', [])
  expect(reload()).toEqual([])
})

test('a part that failed is not listed after a reload, unless it was tried again', () => {
  keepUpload(upload('one', 'a', 'b'))
  keepUpload(upload('two', 'c'))
  partFailed('a')
  partFailed('b')
  partFailed('c')
  partBegan('b')
  expect(reload()).toEqual([upload('one', 'b')])
})

test('other users do not see it, nor a user who signs in after a sign-out', () => {
  keepUpload(upload('one', 'a'))
  expect(reload('grace')).toEqual([])
  keepUpload(upload('two', 'a'))
  forgetUploads()
  storeUploads()
  expect(stored.size).toBe(0)
})

test('nor a user who signed in in another tab, whose session this page adopts', () => {
  keepUpload(upload('one', 'a'))
  expect(reload()).toHaveLength(1)
  keepUpload(upload('two', 'b'))
  restoreUploads('grace')
  expect(cutUploads()).toEqual([])
  storeUploads()
  expect(stored.size).toBe(0)
})

test('with too many files to keep it is still known that they were cut off', () => {
  keepUpload(upload('one', ...Array.from({ length: 1_000 }, (_, index) => `file ${index}`)))
  expect(reload()).toEqual([upload('one')])
})

test('an invalid stored value counts as none', () => {
  for (const text of ['', '{"userId":"ada","uploads":[{"id":1}]}']) {
    stored.set('farhand.uploads', text)
    restoreUploads('ada')
    expect(cutUploads()).toEqual([])
  }
})
