/** An agent and a person who may not touch it: a sentence that says whose it is, and never a trace. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { isNight } from '../../support/night.ts'
import { serverForFile, type Visitor } from '../../support/server.ts'
import { canActAsSomebody, somebody } from '../../support/somebody.ts'
import { until } from '../../support/until.ts'
import { runAgent, startAgent, startAgentAs } from '../agent-process.ts'
import { temporaryFolder } from '../support.ts'

let owner: Visitor & { tenantId: string }

const server = serverForFile()
beforeAll(async () => {
  owner = await server.owner()
})

async function key() {
  const body = { tenantId: owner.tenantId, keyType: 'Persistent' } as const
  const { id, keySecret } = await owner.installerKeys.create({ body })
  return ['-s', server.url, '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
}

/** Creates a home folder for another user, below a folder that every user can traverse. */
function homeOfSomebody() {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const home = join(folder, 'home')
  mkdirSync(home)
  chownSync(home, somebody.uid, somebody.gid)
  return home
}

const oneSentence = (text: string | RegExp) => ({
  status: 1,
  stderr: expect.stringMatching(new RegExp(`^Error: [^\\n]*${text instanceof RegExp ? text.source : text}[^\\n]*\\n$`)),
})

describe.runIf(canActAsSomebody)('an agent of another user', { timeout: 60_000 }, () => {
  test.runIf(isNight)('is named to root, with the advice to act as that user', async () => {
    const home = homeOfSomebody()
    const agent = startAgentAs(somebody.uid, home, 'run', ...(await key()))
    await until(() => existsSync(join(home, '.farhand/default/state.json')))
    // Use a separate instance, so that an agent installed on this machine does not matter.
    const instance = ['-i', `test-${process.pid}`]
    const whose = /process \d+\) belongs to the user with the number \d+\. Run this as that user/
    expect(await runAgent('uninstall', ...instance)).toMatchObject(oneSentence(whose))
    expect(await runAgent('status', ...instance)).toMatchObject(oneSentence(whose))
    const folder = join(home, '.farhand/default')
    expect(await runAgent('uninstall', '--data-dir', folder)).toMatchObject(oneSentence('belongs to the user'))
    expect(agent.child.exitCode).toBeNull()
    agent.child.kill('SIGTERM')
    expect((await agent.ended).status).toBe(0)
  })

  test.runIf(isNight)('is uninstalled with its data, and the data of its other instances remains', async () => {
    const home = homeOfSomebody()
    const instances = join(home, '.farhand')
    const as = (...args: string[]) => startAgentAs(somebody.uid, home, ...args)
    const agents = []
    for (const name of ['lab', 'office']) {
      agents.push(as('run', '-i', name, ...(await key())))
      await until(() => existsSync(join(instances, name, 'state.json')))
    }
    const [lab, office] = agents
    expect(await as('uninstall', '-i', 'lab').ended).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(
        `Removed its settings, the key of this device and its log from ${instances}/lab.`,
      ),
    })
    expect((await lab!.ended).status).toBe(0)
    expect(readdirSync(instances)).toEqual(['office'])
    expect(existsSync(join(instances, 'office/appsettings.json'))).toBe(true)
    expect(office!.child.exitCode).toBeNull()
    expect((await as('uninstall', '-i', 'office').ended).status).toBe(0)
    expect(existsSync(instances)).toBe(false)
    expect(existsSync(home)).toBe(true)
  })

  test.runIf(isNight)('is not ended by a user without rights', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const agent = startAgent('run', '--data-dir', folder, ...(await key()))
    await until(() => existsSync(join(folder, 'state.json')))
    const home = homeOfSomebody()
    for (const command of ['uninstall', 'status', 'run']) {
      const { status, stderr } = await startAgentAs(somebody.uid, home, command, '--data-dir', folder).ended
      expect({ status, stderr }).toEqual(oneSentence(''))
    }
    expect(agent.child.exitCode).toBeNull()
    agent.child.kill('SIGTERM')
    await agent.ended
  })
})

test.runIf(canActAsSomebody)(
  'a command without the rights for it reports the denied permission in one sentence',
  { timeout: 60_000 },
  async () => {
    const home = homeOfSomebody()
    const args = ['run', '--data-dir', join(temporaryFolder(), 'device'), ...(await key())]
    const { status, stderr } = await startAgentAs(somebody.uid, home, ...args).ended
    expect({ status, stderr }).toEqual(oneSentence('permission denied'))
  },
)
