import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { VisitLog } from '../../../agent/capabilities/visit-log.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { keyboardInputMode } from '../../../shared/remote-control/values.ts'
import { startXvfb } from '../../../tools/simulate/display.ts'
import { isNight } from '../../support/night.ts'
import { canActAsSomebody, somebody } from '../../support/somebody.ts'
import { runAgent, startAgent, startAgentAs } from '../agent-process.ts'
import { endProcess, startWindowManager } from '../desktop/desktop-scene.ts'
import { manualClock, temporaryFolder } from '../support.ts'

/** Folder of a device that Ada has controlled for three minutes, and from which Eve has fetched a file. */
function visitedFolder(): string {
  const folder = temporaryFolder()
  const clock = manualClock()
  const log = new VisitLog(join(folder, 'visits.jsonl'), clock)
  const end = log.begin({ kind: 'control', visitor: 'Ada', organizationName: 'Analytical Engines' })
  clock.advance(3 * 60_000)
  end({ hasTyped: true, pasted: ['text'], copied: ['files'] })
  log.note({ kind: 'read', visitor: 'Eve', detail: '/etc/hosts' })
  return folder
}

const control =
  'Ada of Analytical Engines controlled this screen, with keys and buttons, put text on the clipboard, got files from the clipboard'
const fetched = 'Eve fetched /etc/hosts'

describe('the list of visits', () => {
  test('has a line in plain words for each visit, with its time', async () => {
    const { status, stdout, stderr } = await runAgent('visits', '--data-dir', visitedFolder())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [first = '', second = '', ...more] = stdout.split('\n')
    expect(first).toMatch(/2026.*, 3 min {2}Ada/)
    expect(first.endsWith(`  ${control}`)).toBe(true)
    expect(second.endsWith(`  ${fetched}`)).toBe(true)
    expect(more).toEqual([''])
  })

  test('of a device without visits says so', async () => {
    const { stdout } = await runAgent('visits', '--data-dir', temporaryFolder())
    expect(stdout).toBe('Nobody has visited this device yet.\n')
  })

  test.skipIf(!canActAsSomebody)('is open to every user of the device', async () => {
    const folder = visitedFolder()
    chmodSync(folder, 0o755)
    const { stdout } = await startAgentAs(somebody.uid, folder, 'visits', '--data-dir', folder).ended
    expect(stdout).toContain(control)
  })

  test.runIf(process.platform === 'linux' && isNight)(
    'opens in a window on the desktop, and the command ends with the window',
    async () => {
      const display = await startXvfb('900x700x24')
      onTestFinished(() => display.stop())
      const manager = startWindowManager(display)
      onTestFinished(() => endProcess(manager))
      vi.stubEnv('DISPLAY', display.name)
      onTestFinished(() => void vi.unstubAllEnvs())
      const agent = startAgent('visits', '--window', '--data-dir', visitedFolder())
      const person = await openX11Desktop({ display: display.name })
      onTestFinished(() => person.close())
      const pressWithControl = (code: string) => {
        for (const isPressed of [true, false]) {
          for (const key of ['ControlLeft', code]) {
            const modifiers = { control: true, shift: false, alt: false, meta: false }
            person.input.setKey({ key, code: key, mode: keyboardInputMode.Physical, modifiers, isPressed })
          }
        }
      }
      // Rarely: a browser that starts on a busy machine would never come to the end of keys that are pressed all the time.
      const pressAndCopy = async () => {
        pressWithControl('KeyA')
        pressWithControl('KeyC')
        return person.clipboard.readText()
      }
      await expect.poll(pressAndCopy, { interval: 1_000, timeout: 100_000 }).toContain('Visits to this device')
      const text = await person.clipboard.readText()
      expect(text).toContain(control)
      expect(text).toContain(fetched)
      pressWithControl('KeyW')
      const { status, stderr } = await agent.ended
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    },
    120_000,
  )
})
