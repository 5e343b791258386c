import { Alert, Button, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { IconAlertTriangle, IconLockOpen } from '@tabler/icons-react'
import { useState } from 'react'
import type { NetworkDto } from '../../../shared/dtos/network.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import card from '../../components/card-page.module.css'
import classes from './network-page.module.css'
import { fixedAddresses, useSettingsChange } from './use-network.ts'

/** Whether this page was loaded over the port that would be closed. */
const isOwnWay = ({ settings }: NetworkDto) =>
  location.protocol === 'https:' && (location.port || '443') === String(settings.port)

function StopQuestion({ network, onStop, onClose }: { network: NetworkDto; onStop: () => void; onClose: () => void }) {
  return (
    <Stack>
      <Text>{t.network.offHint(network.connectedDevices)}</Text>
      {isOwnWay(network) && <Text>{t.network.offSelf}</Text>}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.network.keepOn}
        </Button>
        <Button color="danger" onClick={onStop}>
          {t.network.offConfirm(network.connectedDevices)}
        </Button>
      </Group>
    </Stack>
  )
}

/** Network switch with its state and problems. */
export function ServeSection({ network }: { network: NetworkDto }) {
  const { settings, state, problem, plainAddresses } = network
  const [isAsking, setIsAsking] = useState(false)
  const change = useSettingsChange()
  const fixedBy = fixedAddresses(network)
  const isFixed = fixedBy !== undefined
  const set = (isServed: boolean) => change.mutate({ isServed })
  const handleChange = (isWanted: boolean) => {
    if (!isWanted && state === 'serving' && (network.connectedDevices > 0 || isOwnWay(network))) {
      setIsAsking(true)
    } else {
      set(isWanted)
    }
  }
  return (
    <section className={`${classes.section} ${card.wide}`} aria-label={t.network.serve}>
      <Group gap="8px 24px" justify="space-between">
        <Switch
          size="md"
          label={t.network.serve}
          description={
            isFixed
              ? t.network.fixedServe(fixedBy.setting, t.network.sources[fixedBy.source])
              : t.network.serveHint(settings.port)
          }
          checked={isFixed || (change.isPending ? change.variables.isServed === true : settings.isServed)}
          disabled={isFixed}
          onChange={(event) => handleChange(event.currentTarget.checked)}
        />
        <p className={classes.state} role="status">
          <span className={classes.dot} data-state={state} aria-hidden />
          {state === 'off' && plainAddresses.length > 0 ? t.network.onlyPlain : t.network.states[state]}
        </p>
      </Group>
      {problem !== null && (
        <Alert mt="sm" color="danger" icon={<IconAlertTriangle size={18} />} title={t.network.states.failed}>
          {t.network.portFailed(problem)}
        </Alert>
      )}
      {change.error && (
        <div style={{ marginTop: 12 }}>
          <ProblemAlert error={change.error} />
        </div>
      )}
      {plainAddresses.length > 0 && (
        <Alert mt="sm" color="warning" icon={<IconLockOpen size={18} />} title={t.network.plain}>
          {t.network.plainHint(plainAddresses.slice(0, 3))}
        </Alert>
      )}
      <Modal opened={isAsking} onClose={() => setIsAsking(false)} title={t.network.off}>
        <StopQuestion
          network={network}
          onClose={() => setIsAsking(false)}
          onStop={() => {
            setIsAsking(false)
            set(false)
          }}
        />
      </Modal>
    </section>
  )
}
