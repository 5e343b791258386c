import { success, successOf } from '../../shared/dtos/hub-result.ts'
import { installerKey, TestAgent, type AgentConnection } from '../support/agent.ts'
import { sendStream, type AgentHandlers } from '../support/file-agent.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const entry = (name: string, isDirectory = false) => ({
  name,
  fullPath: name === '/' ? '/' : `/${name}`,
  isDirectory,
  size: 0,
  lastModified: '2026-01-02T03:04:05.678Z',
  isHidden: false,
  canRead: true,
  canWrite: true,
  hasSubfolders: false,
})

test(
  'a folder of more than 200,000 entries reports that its list is incomplete',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = new TestAgent(owner.tenantId)
    await agent.register(owner, await installerKey(owner))
    let connected: AgentConnection | undefined
    const handlers: AgentHandlers = {
      GetRootDrives: () => successOf({ drives: [entry('/', true)] }),
      StreamSubdirectories: ({ streamId }) => {
        sendStream(connected!.connection, 'SendSubdirectoriesStream', [streamId], [])
        return success
      },
      StreamDirectoryContents: ({ streamId }) => {
        const batches = Array.from({ length: 2_001 }, (_, batch) =>
          Array.from({ length: 100 }, (_, index) => entry(`f${batch * 100 + index}`)),
        )
        sendStream(connected!.connection, 'SendDirectoryContentsStream', [streamId, true], batches)
        return success
      },
    }
    connected = await agent.open(server.url, handlers, { isShared: true })
    await connected.UpdateDeviceSigned(agent.signed(agent.report()))
    await page.goto(`${server.url}/devices/${agent.id}`)
    await page.getByRole('tab', { name: 'Files' }).click()
    await expect(page.getByText('200,000 items', { exact: true })).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText('only the first 200,000 are listed')).toBeVisible()
    await expectAccessible(page)
    await connected.connection.stop()
  },
)
