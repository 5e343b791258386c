import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { SimulatedAgent } from '../../../tools/simulate/agent.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import type { UpdateStateDto } from '../../../shared/dtos/update.ts'
import { installerKey } from '../../support/agent.ts'
import { installationIn, offer, realFiles, serveFeed } from '../../support/installation.ts'
import { useMailServer } from '../../support/mail.ts'
import { isNight } from '../../support/night.ts'
import { temporaryFolder } from '../../support/server-process.ts'
import { account, signInTo, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const execute = promisify(execFile)

/** An installed appliance of the built program, with one device that connects again and again, and a feed. */
async function appliance() {
  const folder = await temporaryFolder()
  const { home, main } = installationIn(folder, '0.1.0.0', realFiles('0.1.0.0'))
  const feed = join(folder, 'feed')
  mkdirSync(feed)
  const url = `http://127.0.0.1:${await freePort()}`
  const mail = await useMailServer()
  const settings = {
    ...mail.settings,
    Urls: url,
    DataDirectory: join(folder, 'data'),
    Updates__Feed: await serveFeed(feed),
    // Confirmed, so that its notices are mailed.
    Bootstrap__AdminEmail: account.email,
    Bootstrap__AdminPassword: account.password,
  }
  const given = Object.entries(settings).map(([key, value]) => [`Service_${key}`, value])
  const env = { ...process.env, ...(Object.fromEntries(given) as Record<string, string>) }
  const keeper = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(keeper, 'exit')
  let log = ''
  keeper.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  let isOver = false
  onTestFinished(async () => {
    isOver = true
    keeper.kill('SIGTERM')
    await ended
  })
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(isUp)
  const owner = await signInTo(url)
  const agent = new SimulatedAgent(1, owner.tenantId)
  await agent.register(url, await installerKey(owner))
  let connecting: Promise<unknown> | undefined
  const stayConnected = () => {
    const connect = () =>
      agent
        .connect(url, () => void stayConnected())
        .then(
          () => true,
          () => false,
        )
    connecting ??= until(() => isOver || connect()).finally(() => (connecting = undefined))
    return connecting
  }
  await stayConnected()
  return {
    home,
    feed,
    owner,
    mail,
    log: () => log,
    /** Runs a command of the installed program, as a person at the computer. */
    command: (...words: string[]) =>
      execute(process.execPath, [main, 'update', ...words], { env }).then(
        ({ stdout }) => stdout,
        (error: { stdout: string }) => error.stdout,
      ),
    ended,
  }
}

/** State once the last update is settled, from a server that restarts meanwhile. */
const settled = (owner: Member, version: string): Promise<UpdateStateDto> =>
  until(async () => {
    const state = await owner.applianceUpdates.state({}).catch(() => undefined)
    return state?.runs[0]?.toVersion === version && state.runs[0].outcome !== null ? state : undefined
  })

test.runIf(process.platform === 'linux' && isNight)(
  'an appliance updates by a click, goes back by itself from a version that fails, and by a command from one that works',
  async () => {
    const { home, feed, owner, mail, command } = await appliance()
    await offer(feed, { version: '0.2.0.0', files: realFiles('0.2.0.0') })
    const found = await owner.applianceUpdates.check({})
    expect([found.version, found.offered?.version, found.offered?.problem, found.previous]).toEqual([
      '0.1.0.0',
      '0.2.0.0',
      null,
      null,
    ])

    await owner.applianceUpdates.install({ body: { version: '0.2.0.0' } })
    const updated = await settled(owner, '0.2.0.0')
    expect(updated.runs).toMatchObject([
      { kind: 'install', fromVersion: '0.1.0.0', outcome: 'installed', byName: account.email },
    ])
    expect([updated.version, updated.previous?.version, updated.previous?.isDataRestored]).toEqual([
      '0.2.0.0',
      '0.1.0.0',
      false,
    ])
    await expect(owner.applianceUpdates.install({ body: { version: '0.2.0.0' } })).rejects.toThrow(
      'not offered any more',
    )

    // Starts, migrates nothing, and ends: the server of this version is not well.
    await offer(feed, {
      version: '0.3.0.0',
      files: realFiles(
        '0.3.0.0',
        'setTimeout(() => process.exit(7), 2_000)\nglobalThis.fetch = undefined\nawait new Promise(() => {})',
      ),
    })
    await owner.applianceUpdates.check({})
    expect(await command('install')).toContain(
      'The update to 0.3.0.0 failed, and 0.2.0.0 is running. The earlier data was put back',
    )
    const failed = await settled(owner, '0.3.0.0')
    expect([failed.version, failed.runs[0]?.outcome, failed.runs[0]?.reason]).toEqual([
      '0.2.0.0',
      'failed',
      expect.stringContaining('The new version ended before it was well: status 7'),
    ])
    const { items } = await owner.applianceNotices.list({})
    expect(items.map(({ kind }) => kind)).toEqual(['server-update-failed', 'server-updated'])
    expect((await mail.next(account.email, 'Updated to version 0.2.0.0')).text).toContain('can go back')
    expect((await mail.next(account.email, 'An update failed')).text).toContain('0.3.0.0: The new version ended')

    expect(await command('back')).toContain('Went back from 0.2.0.0 to 0.1.0.0.')
    const back = await settled(owner, '0.1.0.0')
    expect([back.version, back.previous, back.offered?.version]).toEqual(['0.1.0.0', null, '0.3.0.0'])
    expect(readdirSync(join(home, 'versions'))).toEqual(['0.1.0.0'])

    const events = await owner.applianceAuditLog.listAll({ query: { category: 'server' } })
    const kinds = events.items
      .map(({ kind, outcome }) => `${kind} ${outcome}`)
      .filter((kind) => kind.includes('update'))
    expect(kinds.toReversed()).toEqual([
      'server.update-started success',
      'server.update-installed success',
      'server.update-started success',
      'server.update-installed failure',
      'server.update-back-started success',
      'server.update-back success',
    ])
  },
)
