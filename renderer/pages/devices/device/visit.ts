import { createContext, use, useEffect, useState } from 'react'
import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import type { PowerVariant } from '../../../../shared/dtos/power-change.ts'
import { api, statusOf } from '../../../api/http.ts'
import { viewer } from '../../../api/hubs.ts'
import type { AskedAction } from '../../../components/device-actions.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import * as t from '../../../texts.ts'
import { advance, type Outcome } from './outcome.ts'

interface Answer {
  isSuccess: boolean
  reason: string | null
  value?: unknown
}

const restart = 1
const shutdown = 2

/** Changes that only this product's agent knows. */
async function changePower(deviceId: string, change: PowerVariant): Promise<Answer> {
  try {
    await api.devicePages.changePower({ params: { deviceId }, body: { change } })
    return { isSuccess: true, reason: null }
  } catch (error) {
    if (statusOf(error) === undefined) {
      throw error
    }
    return { isSuccess: false, reason: problemText(error) }
  }
}

/** Call of each action. */
const asks: Record<AskedAction, (deviceId: string) => Promise<Answer>> = {
  // Without addresses the server uses those that the agent reported.
  wake: (deviceId) => viewer.SendWakeDevice2({ deviceId, macAddresses: [] }),
  restart: (deviceId) => viewer.SendPowerStateChange2({ deviceId, changeType: restart }),
  shutdown: (deviceId) => viewer.SendPowerStateChange2({ deviceId, changeType: shutdown }),
  lock: (deviceId) => changePower(deviceId, 'lock'),
  logOff: (deviceId) => changePower(deviceId, 'log-off'),
  sleep: (deviceId) => changePower(deviceId, 'sleep'),
  firmware: (deviceId) => changePower(deviceId, 'firmware'),
  safeMode: (deviceId) => changePower(deviceId, 'safe-mode'),
  refresh: (deviceId) => viewer.RefreshDeviceInfo2({ deviceId }),
  update: (deviceId) => viewer.SendAgentUpdateTrigger2({ deviceId }),
  uninstall: (deviceId) => viewer.UninstallAgent2({ deviceId, reason: t.visit.uninstall }),
}

interface Visit {
  /** Outcome of the last action. */
  outcome: Outcome | undefined
  act: (action: AskedAction) => void
  dismiss: () => void
}

export const VisitContext = createContext<Visit | undefined>(undefined)

/** Actions on the device of the page. */
export function useVisit() {
  const visit = use(VisitContext)
  if (!visit) {
    throw new Error('useVisit is for parts of a device page')
  }
  return visit
}

/** Runs actions on a device, and tracks the outcome of the last one. */
export function useActions(device: DeviceResponseDto): Visit {
  const [outcome, setOutcome] = useState<Outcome>()
  const { isOnline, lastSeen, agentVersion } = device

  useEffect(() => {
    setOutcome((known) => known && advance(known, { isOnline, lastSeen, agentVersion }, Date.now()))
  }, [isOnline, lastSeen, agentVersion, outcome?.phase])

  const act = async (action: AskedAction) => {
    const begun: Outcome = {
      action,
      askedAt: Date.now(),
      phase: 'asking',
      before: { isOnline, lastSeen, agentVersion },
    }
    setOutcome(begun)
    const settle = (change: Partial<Outcome>) =>
      setOutcome((known) => (known?.askedAt === begun.askedAt ? { ...known, ...change } : known))
    try {
      const { isSuccess, reason, value } = await asks[action](device.id)
      settle(
        isSuccess
          ? { phase: 'waiting', ...(typeof value === 'string' && { answer: value }) }
          : { phase: 'failed', answer: t.visit.refused(reason ?? t.device.refreshFailed) },
      )
    } catch {
      settle({ phase: 'failed', answer: t.visit.noAnswer })
    }
  }
  return { outcome, act: (action) => void act(action), dismiss: () => setOutcome(undefined) }
}
