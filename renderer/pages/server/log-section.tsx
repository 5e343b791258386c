import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconRefresh, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Moment } from '../../components/moment.tsx'
import { textProps } from '../../components/field-props.ts'
import type { ServerLogDto } from '../../../shared/dtos/server-setting.ts'
import { serverQueries, type ServerLogLevel } from '../../api/server-queries.ts'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './server-page.module.css'

const typingMs = 200
const choices = (['info', 'warn', 'error'] as const).map((value) => ({ value, label: t.server.logLevels[value] }))

const Lines = ({ items }: Pick<ServerLogDto, 'items'>) => (
  <ol className={classes.log} tabIndex={0} aria-label={t.server.logLines}>
    {items.map(({ at, level, message, fields }, index) => (
      <li key={index} data-level={level}>
        <span className="muted">
          {at && <Moment at={at} />} {t.server.levels[level]}
        </span>
        <span>
          {visibleName(message)} <span className="muted">{visibleName(fields)}</span>
        </span>
      </li>
    ))}
  </ol>
)

/** Newest lines of the log of the server. */
export function LogSection() {
  const [level, setLevel] = useState<ServerLogLevel>('warn')
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, typingMs)
  const query = useQuery({
    ...serverQueries.serverLog(level, settled),
    placeholderData: keepPreviousData,
  })
  const { data, isFetching, refetch } = query
  return (
    <section className={classes.section} aria-label={t.server.logLines}>
      <h2>{t.server.logLines}</h2>
      <p className="muted">{data?.isKept === false ? t.server.notKept : t.server.logHint}</p>
      {!data && <QueryState query={query} height={120} />}
      {data?.isKept && (
        <>
          <Group gap="12px 24px" my={12}>
            <NativeSelect
              aria-label={t.server.logLevel}
              data={choices}
              value={level}
              onChange={(event) => setLevel(event.currentTarget.value as ServerLogLevel)}
            />
            <TextInput
              flex="1 1 200px"
              maw={360}
              type="search"
              role="searchbox"
              aria-label={t.server.searchLog}
              placeholder={t.server.searchLog}
              maxLength={200}
              leftSection={<IconSearch size={16} stroke={1.6} />}
              {...textProps(search, setSearch)}
            />
            <Button
              variant="default"
              loading={isFetching}
              leftSection={<IconRefresh size={16} stroke={1.6} />}
              onClick={() => void refetch()}
            >
              {t.server.readAgain}
            </Button>
          </Group>
          {data.items.length === 0 ? <p className="muted">{t.server.noLines}</p> : <Lines items={data.items} />}
        </>
      )}
    </section>
  )
}
