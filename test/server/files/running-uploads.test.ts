import { expect, test } from 'vitest'
import { RunningUploads } from '../../../server/files/running-uploads.ts'

test('several requests for the same upload run one at a time, and the last of them can be stopped', async () => {
  const uploads = new RunningUploads()
  const newer = new Error('A newer request goes on.')
  let running = 0
  let mostRunning = 0
  const ended: string[] = []
  const request = async (name: string) => {
    const wasEnded = Promise.withResolvers<void>()
    const over = await uploads.take('upload', newer, () => wasEnded.resolve())
    mostRunning = Math.max(mostRunning, ++running)
    await wasEnded.promise
    running--
    ended.push(name)
    over()
  }
  const all = [request('first'), request('second'), request('third')]
  await expect.poll(() => ended).toEqual(['first', 'second'])
  expect([running, mostRunning]).toEqual([1, 1])
  await uploads.stop('upload', new Error('It was canceled.'))
  await Promise.all(all)
  expect(ended).toEqual(['first', 'second', 'third'])
})
