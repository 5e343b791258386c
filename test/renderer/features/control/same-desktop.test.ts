import { describe, expect, test } from 'vitest'
import { sameDesktop } from '../../../../renderer/features/control/same-desktop.ts'
import { DesktopSession } from '../../../../shared/dtos/desktop-session.ts'

const desktop = (username: string, systemSessionId: number, name: string, processId = 1) =>
  DesktopSession.parse({ processId, username, systemSessionId, name })

const before = desktop('anna', 1, 'Console')

describe('a lost session', () => {
  test('reconnects to the desktop of the same person, which another process serves now', () => {
    const again = desktop('anna', 1, 'Console', 2)
    expect(sameDesktop([desktop('ben', 2, 'RDP'), again], before)).toBe(again)
  })

  test('reconnects to the desktop of the same person after the system renumbered it', () => {
    const again = desktop('anna', 7, 'Console')
    expect(sameDesktop([again, desktop('ben', 2, 'RDP')], before)).toBe(again)
    expect(sameDesktop([again], desktop('anna', 1, 'X11: :0'))).toBe(again)
  })

  test('reconnects to the sign-in screen, as after a restart of the machine', () => {
    const again = desktop('', 1, 'Console')
    expect(sameDesktop([again], before)).toBe(again)
  })

  test('does not reconnect to the desktop of another person, by number, by name or as the only one', () => {
    expect(sameDesktop([desktop('ben', 1, 'Console')], before)).toBe('elsewhose')
    expect(sameDesktop([desktop('ben', 3, 'Console'), desktop('carla', 4, 'RDP')], before)).toBe('elsewhose')
    expect(sameDesktop([desktop('ben', 3, 'RDP')], before)).toBe('elsewhose')
    expect(sameDesktop([desktop('ben', 1, 'Console')], desktop('', 1, 'Console'))).toBe('elsewhose')
  })

  test('waits while there is no desktop, or others in other places', () => {
    expect(sameDesktop([], before)).toBeUndefined()
    expect(sameDesktop([desktop('ben', 3, 'RDP'), desktop('carla', 4, 'RDP 2')], before)).toBeUndefined()
  })
})
