import { expect, test } from 'vitest'
import { minuteMs } from '../../../../shared/durations.ts'
import { ClusterBytes } from '../../../../server/surface/cluster/cluster-bytes.ts'
import { manualClock } from '../../../support/clock.ts'

const other = { id: 'two', url: 'http://two', version: '1', startedAt: 0 }

/** Reader of a server beside one that answers all questions alike; `asked` are the methods asked of that one. */
function reader(answer: unknown) {
  const clock = manualClock()
  const asked: string[] = []
  const cluster = {
    answer() {},
    async ask(_: string, method: string) {
      asked.push(method)
      return answer
    },
    async askOthers(method: string) {
      asked.push(method)
      return [{ server: other, answer }]
    },
  }
  return { clock, asked, bytes: new ClusterBytes({ clock, cluster } as never) }
}

test('a device that asks for many unknown streams at once has other servers asked 30 times in a minute', async () => {
  const { clock, asked, bytes } = reader(false)
  let connections = 0
  const fetchUnknown = (deviceId: string) =>
    bytes.stream('unknown', { connectionId: String(connections++), deviceId }).next()
  const fetched = await Promise.allSettled(Array.from({ length: 40 }, () => fetchUnknown('one')))
  for (const result of fetched) {
    expect(result).toMatchObject({ status: 'rejected', reason: { status: 404 } })
  }
  expect(asked).toHaveLength(30)
  await expect(fetchUnknown('two')).rejects.toMatchObject({ status: 404 })
  expect(asked).toHaveLength(31)
  clock.advance(minuteMs)
  await expect(fetchUnknown('one')).rejects.toMatchObject({ status: 404 })
  expect(asked).toHaveLength(32)
})

test('streams that another server offers do not count as unknown', async () => {
  const { asked, bytes } = reader(true)
  for (let count = 0; count < 40; count++) {
    // This cluster has no way to read the bytes.
    await expect(bytes.stream('known', { connectionId: 'one', deviceId: 'one' }).next()).rejects.toThrow(TypeError)
  }
  expect(asked).toHaveLength(40)
})

test('a file of another server is asked for three times an hour until the batch ends, so that it stays', async () => {
  const { clock, asked, bytes } = reader({ id: 'file', name: 'a.bin', size: 1 })
  const found = await bytes.batchFile('ada', 'file')
  expect(found?.file).toMatchObject({ name: 'a.bin', size: 1 })
  const thirdsOfAnHour = (count: number) => Array.from({ length: count }, () => clock.advance(20 * minuteMs))
  thirdsOfAnHour(3)
  expect(asked).toHaveLength(1 + 3)
  found!.release()
  thirdsOfAnHour(3)
  expect(asked).toHaveLength(1 + 3)
})
