import { cutText } from '../../../shared/cut-text.ts'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { NetworkVisitDto } from '../../../shared/dtos/network.ts'
import { api, statusOf } from '../../api/http.ts'
import { networkQueries } from '../../api/network-queries.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import pulse from '../../components/pulse.module.css'
import classes from './network-page.module.css'

const longestWords = 200

/** Text of an untrusted device, cut and made harmless. */
const words = (text: string) => visibleName(cutText(text, longestWords))

function Question({ visit, addresses }: { visit: NetworkVisitDto; addresses: readonly string[] }) {
  const { data: report, error } = useQuery(networkQueries.visit(visit.id))
  const [chosen, setChosen] = useState<string>()
  const address = chosen !== undefined && addresses.includes(chosen) ? chosen : (addresses[0] ?? '')
  // The code is in the fragment, so that no log of a server or proxy contains it.
  const target = `${address}/network-test#${visit.code}`
  if (report) {
    return (
      <div className={classes.arrived}>
        <p>
          <strong>{t.network.deviceArrived(report.from)}</strong>
        </p>
        <p className="small">{t.network.deviceCalled(words(report.address), words(report.browser))}</p>
      </div>
    )
  }
  if (error) {
    return statusOf(error) === 404 ? <p>{t.network.deviceExpired}</p> : <ProblemAlert error={error} />
  }
  return (
    <>
      {addresses.length > 1 && (
        <NativeSelect mb="sm" label={t.network.testAddress} data={[...addresses]} {...textProps(address, setChosen)} />
      )}
      <QrCode width={164} text={target} label={t.network.qrLabel(target)} />
      <p className={classes.target}>
        <code>{target}</code>
        <CopyButton text={target} hint={t.network.copyAddress(target)} />
      </p>
      <p className="small muted">{t.network.deviceWarning}</p>
      <Group component="p" gap={8} wrap="nowrap">
        <span className={pulse.pulse} aria-hidden />
        {t.network.deviceWaiting}
      </Group>
    </>
  )
}

/** Asks another device to call this server, and shows which one did. */
export function DeviceTest({ addresses }: { addresses: readonly string[] }) {
  const ask = useMutation({ mutationFn: () => api.network.askDevice({}) })
  return (
    <>
      <h3>{t.network.device}</h3>
      <p className="muted">{t.network.deviceHint}</p>
      <div role="status">{ask.data && <Question key={ask.data.id} visit={ask.data} addresses={addresses} />}</div>
      {ask.error && <ProblemAlert error={ask.error} />}
      <Group gap={8} mt={12}>
        <Button variant="default" loading={ask.isPending} onClick={() => ask.mutate()}>
          {ask.data ? t.network.deviceAgain : t.network.deviceStart}
        </Button>
      </Group>
    </>
  )
}
