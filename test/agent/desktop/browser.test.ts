import { describe, expect, test } from 'vitest'
import { startBrowser } from '../../../agent/desktop/browser.ts'
import { deferred } from '../../../shared/deferred.ts'

const size = { width: 400, height: 300 }

describe.skipIf(process.platform === 'win32')('a device without a browser that opens windows', () => {
  test('starts nothing', () => {
    expect(startBrowser('http://127.0.0.1/', size, { chromiums: [], opener: undefined })).toBeUndefined()
  })

  test('names the package to install when its opener finds no browser', async () => {
    const ended = deferred<string | undefined>()
    startBrowser('http://127.0.0.1/', size, { chromiums: [], opener: ['/usr/bin/false'] })!.onEnd = ended.resolve
    expect(await ended.promise).toMatch(/Install Chromium, Chrome, Edge, Brave or Vivaldi on the device\.$/)
  })
})
