import { randomUUID } from 'node:crypto'
import type { Member } from './server.ts'
import type { ServerProcess } from './server-process.ts'
import { until } from './until.ts'

/** Setting of servers that log the requests of pages. */
export const logsRequests = { AppOptions__UseHttpLogging: 'true' }

/** Whether a server that logs requests has got some of pages since its start: its balancer sends it requests. */
export const getsPages = ({ lines }: ServerProcess): boolean => lines.some((line) => line.includes('/api/v1/tags'))

/** Lists devices, creates tags and renames others, each `lanes` times at once, until `end` is called. */
export async function usePages(owner: Member, lanes = 1) {
  const failures: string[] = []
  /** Ids of tags whose creation was answered. */
  const created: string[] = []
  let isOver = false
  let count = 0
  const repeat = async (name: string, request: () => Promise<unknown>) => {
    while (!isOver) {
      await request().catch((error: unknown) => failures.push(`${name}: ${String(error)}`))
      count++
    }
  }
  const { tenantId } = owner
  const newName = () => ({ tenantId, body: { name: randomUUID() } })
  const tags = await Promise.all(Array.from({ length: lanes }, () => owner.tags.create(newName())))
  const running = tags.flatMap(({ id }) => [
    repeat('list', () => owner.devices.list({ query: {} })),
    repeat('create', async () => void created.push((await owner.tags.create(newName())).id)),
    repeat('rename', () => owner.tags.rename({ ...newName(), params: { tagId: id } })),
  ])
  return {
    failures,
    created,
    /** Waits for more requests. */
    goOn: (more: number) => {
      const wanted = count + more
      return until(() => count >= wanted)
    },
    async end() {
      isOver = true
      await Promise.all(running)
    },
  }
}
