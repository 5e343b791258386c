import { Group, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { Architecture } from '../../shared/dtos/device-report.ts'
import { useDeviceAgent } from '../hooks/use-device.ts'
import * as t from '../texts.ts'
import { fraction, gibibytes, macText } from '../text/format.ts'
import classes from './device-facts.module.css'
import { Fact } from './fact.tsx'
import { Meter } from './meter.tsx'
import { RelativeTime } from './relative-time.tsx'

const { enumValues } = Architecture.meta() as { enumValues: Record<string, number> }
const architectureName = (value: number) =>
  Object.keys(enumValues).find((name) => enumValues[name] === value) ?? t.common.unknown

interface SectionProps {
  title: string
  /** Control at the right of the title. */
  control?: ReactNode
  children: ReactNode
}

export const Section = ({ title, control, children }: SectionProps) => (
  <section className={classes.section}>
    {control === undefined ? (
      <h2>{title}</h2>
    ) : (
      <div className={classes.sectionHead}>
        <h2>{title}</h2>
        {control}
      </div>
    )}
    {children}
  </section>
)

const textFact = (label: string, value: string) =>
  value && (
    <Fact label={label} copy={value}>
      <code>{value}</code>
    </Fact>
  )

export const LoadSection = ({ device }: { device: DeviceResponseDto }) => (
  <Section title={t.device.load}>
    <div className={classes.meters} data-old={!device.isOnline || undefined}>
      <span>{t.device.cpu}</span>
      <Meter isWide label={t.device.cpu} value={device.cpuUtilization} />
      <span>{t.device.memory}</span>
      <Meter
        isWide
        label={t.device.memory}
        value={fraction(device.usedMemory, device.totalMemory)}
        detail={t.device.usedOf(gibibytes(device.usedMemory), gibibytes(device.totalMemory))}
      />
      <span>{t.device.disk}</span>
      <Meter
        isWide
        label={t.device.disk}
        value={fraction(device.usedStorage, device.totalStorage)}
        detail={t.device.usedOf(gibibytes(device.usedStorage), gibibytes(device.totalStorage))}
      />
    </div>
    <p className={`${classes.age} small muted`}>
      {device.isOnline ? t.device.lastReport : t.device.lastSeen} <RelativeTime at={device.lastSeen} />
    </p>
  </Section>
)

/** Offers the update of an agent, or explains why there is none. */
function AgentNote({ device, update }: { device: DeviceResponseDto; update: ReactNode }) {
  const agent = useDeviceAgent(device)
  if (agent && !agent.isUpdatable) {
    return (
      <Tooltip label={t.device.otherMakeHint}>
        <span className="muted small">{t.device.otherMake(agent.make ?? '')}</span>
      </Tooltip>
    )
  }
  if (!agent || !device.isOutdated) {
    return undefined
  }
  return (
    update ?? (
      <Tooltip label={t.device.updateHint}>
        <span className={classes.mark}>{t.device.update}</span>
      </Tooltip>
    )
  )
}

export const FactsSection = ({ device, update }: { device: DeviceResponseDto; update?: ReactNode }) => (
  <Section title={t.device.facts}>
    <dl className={classes.facts}>
      <Fact label={t.device.users}>{device.currentUsers.join(', ') || t.device.nobody}</Fact>
      <Fact label={t.device.system}>{device.osDescription || t.common.unknown}</Fact>
      <Fact label={t.device.architecture}>
        {t.device.cores(device.processorCount, architectureName(device.osArchitecture))}
      </Fact>
      <Fact label={t.device.memory}>{gibibytes(device.totalMemory)}</Fact>
      <Fact label={t.device.agentVersion}>
        <span className="tabular">{device.agentVersion || t.common.unknown}</span>
        <AgentNote device={device} update={update} />
      </Fact>
      {textFact(t.device.id, device.id)}
    </dl>
  </Section>
)

export const DisksSection = ({ device }: { device: DeviceResponseDto }) => (
  <Section title={t.device.disks}>
    {device.drives.length === 0 && <p className="muted">{t.device.noDisks}</p>}
    {device.drives.map((drive, index) => {
      const name = drive.rootDirectory || drive.name || t.common.unknown
      return (
        <div key={`${name}-${index}`} className={classes.drive}>
          <Group justify="space-between" wrap="nowrap" gap="sm">
            <span className="truncate">
              <code>{name}</code>{' '}
              <span className="muted small">
                {[drive.volumeLabel !== name && drive.volumeLabel, drive.driveFormat].filter(Boolean).join(' · ')}
              </span>
            </span>
            <span className="muted small tabular" style={{ whiteSpace: 'nowrap' }}>
              {t.device.freeOf(gibibytes(drive.freeSpace), gibibytes(drive.totalSize))}
            </span>
          </Group>
          <Meter isWide label={name} value={fraction(drive.totalSize - drive.freeSpace, drive.totalSize)} />
        </div>
      )
    })}
  </Section>
)

export const NetworkSection = ({ device }: { device: DeviceResponseDto }) => (
  <Section title={t.device.network}>
    <dl className={classes.facts}>
      {textFact(t.device.hostName, device.dnsHostName)}
      {textFact(t.device.localAddress, device.localIpV4)}
      {textFact(t.device.localAddress, device.localIpV6)}
      {textFact(t.device.publicAddress, device.publicIpV4 || device.publicIpV6)}
      {device.macAddresses.map((address) => (
        <Fact key={address} label={t.device.mac} copy={macText(address)}>
          <code>{macText(address)}</code>
        </Fact>
      ))}
    </dl>
  </Section>
)
