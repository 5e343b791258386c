import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Koffi } from '../../../shared/windows/calls.ts'
import { answerServiceManager } from '../../../shared/windows/service-process.ts'
import { serviceControl, serviceState, type ServiceStatus } from '../../../shared/windows/winsvc.ts'

/** Service control manager of this test, in place of that of Windows. */
function serviceManager() {
  const statuses: ServiceStatus[] = []
  let handler: (control: number) => number = () => 0
  const functions: Record<string, unknown> = {
    StartServiceCtrlDispatcherW: {
      async: ([{ main }]: [{ main: (count: number, args: string) => void }]) => main(1, 'service'),
    },
    RegisterServiceCtrlHandlerExW: (_name: string, given: typeof handler) => ((handler = given), 1),
    SetServiceStatus: (_service: number, status: ServiceStatus) => void statuses.push(status),
  }
  const koffi = {
    load: () => ({ func: (declaration: string) => functions[/(\w+)\(/.exec(declaration)![1]!] }),
    struct: () => ({}),
    sizeof: () => 0,
    proto: () => ({}),
    pointer: () => ({}),
    register: (callback: unknown) => callback,
    decode: (address: unknown) => address,
  } as unknown as Koffi
  return { koffi, statuses, control: (control: number) => handler(control) }
}

test('a service whose stop takes long reports several times within its hint that the stop goes on, and ends after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] })
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  onTestFinished(() => {
    vi.useRealTimers()
    exit.mockRestore()
  })
  const { koffi, statuses, control } = serviceManager()
  expect(await answerServiceManager(koffi, { stopHintMs: 15_000 })).toBe(true)
  const stopped = once(process, 'SIGTERM')
  control(serviceControl.stop)
  await stopped
  vi.advanceTimersByTime(15_000)
  const { running, stopPending } = serviceState
  expect(statuses.map(({ state, checkpoint, waitHintMs }) => [state, checkpoint, waitHintMs])).toEqual([
    [running, 0, 0],
    ...[1, 2, 3, 4].map((checkpoint) => [stopPending, checkpoint, 15_000]),
  ])
  expect(exit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(585_000)
  expect(exit).toHaveBeenCalledOnce()
})
