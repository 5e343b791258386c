import { Text } from '@mantine/core'
import { useState } from 'react'
import type { SignInHelpDto } from '../../../shared/api/appliance-entry.ts'
import { useSeconds } from '../../hooks/use-seconds.ts'
import { en as t } from '../../strings/en.ts'
import { timeWithSeconds } from '../../strings/format.ts'

/** Seconds by which a clock makes codes invalid. */
const tolerance = 30

/** Shows the clock of the server, and says when the clock of this computer differs. */
export function ClockHelp({ help }: { help: SignInHelpDto }) {
  const [aheadMs] = useState(() => Date.parse(help.now) - Date.now())
  const now = useSeconds()
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  return (
    <div>
      <Text>{t.signInHelp.codesHint}</Text>
      <Text mt="sm" className="tabular">
        {t.signInHelp.serverClock(timeWithSeconds(now + aheadMs))}
      </Text>
      {seconds > tolerance && <Text mt="sm">{t.signInHelp.clockDiffers(seconds)}</Text>}
    </div>
  )
}
