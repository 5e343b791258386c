import { Alert, Button, Group, NumberInput } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { viewer } from '../../api/hubs.ts'
import { usePreference } from '../../styles/preferences.ts'
import * as t from '../../texts.ts'
import classes from './vnc.module.css'
import { shortText } from './vnc-session.ts'
import { submitHandler } from '../../components/request-form.tsx'

const firstPort = 5900
const isPort = (port: number | string): port is number =>
  Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536

interface VncStartProps {
  device: DeviceResponseDto
  /** Reason of the last session's end. */
  ended: string | undefined
  isConnecting: boolean
  onConnect: (port: number) => void
}

/** Start form: port, connection test and connect. */
export function VncStart({ device, ended, isConnecting, onConnect }: VncStartProps) {
  const [remembered, setRemembered] = usePreference(`vnc.port.${device.id}`, firstPort)
  const [port, setPort] = useState<number | string>(remembered)
  const test = useMutation({
    mutationFn: async (tested: number) => ({
      tested,
      ...(await viewer.TestVncConnection2({ deviceId: device.id, port: tested })),
    }),
  })
  const isPossible = device.isOnline && isPort(port)
  const handleSubmit = submitHandler(() => {
    if (isPossible) {
      setRemembered(port)
      onConnect(port)
    }
  })
  return (
    <form className={classes.start} onSubmit={handleSubmit}>
      <div>
        <h2>{t.vnc.startTitle}</h2>
        <p className="muted">{t.vnc.startHint}</p>
      </div>
      {ended && (
        <Alert role="status" color="warning" title={t.viewer.phases.ended} icon={<IconAlertTriangle size={18} />}>
          {ended}
        </Alert>
      )}
      {!device.isOnline && (
        <Alert role="status" color="gray" title={t.common.deviceOffline} icon={<IconInfoCircle size={18} />}>
          {t.vnc.offlineHint}
        </Alert>
      )}
      <NumberInput
        label={t.vnc.port}
        description={t.vnc.portHint}
        value={port}
        onChange={(value) => {
          test.reset()
          setPort(value)
        }}
        min={1}
        max={65_535}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        error={isPort(port) ? undefined : t.vnc.portInvalid}
        data-autofocus
      />
      <Group gap={8} wrap="nowrap">
        <Button type="submit" disabled={!isPossible} loading={isConnecting}>
          {ended ? t.viewer.connectAgain : t.vnc.connect}
        </Button>
        <Button
          variant="default"
          disabled={!isPossible}
          loading={test.isPending}
          onClick={() => isPort(port) && test.mutate(port)}
        >
          {t.vnc.test}
        </Button>
      </Group>
      <div role="status">
        {test.data && (
          <p className={classes.answer} data-good={test.data.isSuccess || undefined}>
            {test.data.isSuccess ? (
              <IconCircleCheck size={16} aria-hidden />
            ) : (
              <IconAlertTriangle size={16} aria-hidden />
            )}
            {test.data.isSuccess
              ? t.vnc.answers(test.data.tested)
              : t.vnc.tested(shortText(test.data.reason ?? '', 300))}
          </p>
        )}
        {test.error && <p className={classes.answer}>{t.vnc.testFailed}</p>}
      </div>
    </form>
  )
}
