import { expect, test } from 'vitest'
import { mac } from '../../../agent/platform/mac.ts'
import { ctrlAltDelScript, windows } from '../../../agent/platform/windows.ts'

test('Ctrl+Alt+Del on Windows is pressed as a service, and the policy of the machine is put back', () => {
  const lines = ctrlAltDelScript.split('\n')
  const at = (part: string) => lines.findIndex((line) => line.includes(part))
  expect(lines[0]).toBe("$ErrorActionPreference = 'Stop'")
  expect(at("$key = 'HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Policies\\System'")).toBeGreaterThan(0)
  expect(at('if (-not $isSet) { Set-ItemProperty $key $name 1 -Type DWord }')).toBeLessThan(
    at('[Farhand.Keys]::SendSAS'),
  )
  expect(at('[Farhand.Keys]::SendSAS($false)')).toBeLessThan(at('} finally {'))
  expect(at('elseif ($null -eq $before) { Remove-ItemProperty $key $name }')).toBeGreaterThan(at('} finally {'))
  expect(at('else { Set-ItemProperty $key $name $before -Type DWord }')).toBeGreaterThan(at('} finally {'))
  expect(lines.at(-1)).toBe("'pressed'")
})

test.each([
  ['Windows', windows, 'a Windows device'],
  ['macOS', mac, 'a Mac'],
])('the desktop of %s is listed with the reason why this agent does not show it', async (_, platform, device) => {
  expect(await platform.findDesktops()).toEqual([
    expect.objectContaining({
      name: 'Console',
      address: null,
      obstacle: `This agent cannot show the desktop of ${device}; terminal and files work.`,
    }),
  ])
})
