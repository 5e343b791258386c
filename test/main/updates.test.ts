import { expect, onTestFinished, test } from 'vitest'
import { newMachine } from './start-shell.ts'

test('a packaged program opens the installer of its system, and one from a checkout does not replace itself', async () => {
  using machine = await newMachine()
  const { app, opened } = machine.electron
  const { desktopHost } = await import('../../main/updates.ts')
  expect(desktopHost()).toBeUndefined()
  app.isPackaged = true
  onTestFinished(() => void (app.isPackaged = false))
  const host = desktopHost()
  expect(host).toMatchObject({ kind: 'desktop', installerExtension: '.deb' })
  await (host?.kind === 'desktop' && host.openInstaller('/data/updates/farhand.deb'))
  expect(opened.folders).toEqual(['/data/updates/farhand.deb'])
})
