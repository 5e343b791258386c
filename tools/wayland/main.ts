/** `npm run test:wayland`: tests the agent with real sessions of Wayland compositors, without a GPU. */
import { inPath } from '../chromium.mjs'
import { ensureDebianPackages, waylandPackages } from '../debian-packages.mjs'
import { answerHelp } from '../help.mjs'
import { run, tool } from '../processes.mjs'

answerHelp(`npm run test:wayland [-- OPTIONS]

Starts GNOME Shell and sway without a screen, each as an ordinary user with a session bus of its own, and lets a real
agent show and control them. Installs the Debian packages for it where it may (root, about 370 MB); tests of a missing
compositor are skipped with the reason. With --present-only it installs nothing, and skips all where neither compositor
is there. Other options go to Vitest.`)

const presentOnly = '--present-only'
const options = process.argv.slice(2)
const isPresentOnly = options.includes(presentOnly)
const problem = isPresentOnly ? undefined : await ensureDebianPackages(waylandPackages)
if (problem) {
  console.log(problem)
}
if (isPresentOnly && ['gnome-shell', 'sway'].every((program) => inPath(program) === undefined)) {
  console.log('Skipped: neither gnome-shell nor sway is installed.')
} else {
  const args = [
    'run',
    '--project=wayland',
    '--reporter=verbose',
    '--no-file-parallelism',
    ...options.filter((option) => option !== presentOnly),
  ]
  process.exitCode = await run(process.execPath, [tool('vitest'), ...args], {
    env: { ...process.env, FARHAND_WAYLAND: '1' },
  })
}
