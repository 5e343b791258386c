import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { DeviceAbsenceDto } from '../../../../shared/dtos/device-absence.ts'
import { api } from '../../../api/http.ts'
import { invalidate } from '../../../api/query-client.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import * as t from '../../../texts.ts'
import { gibibytes } from '../../../text/format.ts'
import { visibleName } from '../../../text/visible-name.ts'
import classes from './overview.module.css'

const texts = t.visit.absence

/** Choice of the machine that keeps the identity of the device, of two that use it. */
export function RivalMachines({ machines }: { machines: DeviceAbsenceDto['machines'] }) {
  const { device, can } = usePageDevice()
  const keep = useMutation({
    mutationFn: (machineId: string) =>
      api.devicePages.keepMachine({ params: { deviceId: device.id }, body: { machineId } }),
    onSuccess: () => invalidate(['devices', 'absence', device.id]),
  })
  if (machines.length === 0) {
    return keep.isSuccess ? <p role="status">{texts.kept}</p> : null
  }
  const mayChoose = can('device.delete')
  return (
    <>
      <h3>{texts.machines}</h3>
      <ul className={classes.machines}>
        {machines.map(({ id, name, osDescription, processorCount, totalMemory, macAddresses, addresses }) => (
          <li key={id}>
            <span>
              <strong>{texts.machine(name, osDescription)}</strong>
              <br />
              {texts.hardware(processorCount, gibibytes(totalMemory))}
              <br />
              <span className="small muted tabular">{[...addresses, ...macAddresses].map(visibleName).join(', ')}</span>
            </span>
            <Button
              variant="default"
              size="xs"
              disabled={!mayChoose}
              loading={keep.isPending && keep.variables === id}
              onClick={() => keep.mutate(id)}
            >
              {texts.keep}
            </Button>
          </li>
        ))}
      </ul>
      {!mayChoose && <p className="small muted">{texts.mayNotChoose}</p>}
      {keep.error && <p role="alert">{problemText(keep.error)}</p>}
    </>
  )
}
