import { Checkbox, Group, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { checkProps, textProps } from '../../components/field-props.ts'
import type { ServerSettingDto } from '../../../shared/dtos/server-setting.ts'
import { serverQueries } from '../../api/server-queries.ts'
import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import card from '../../components/card-page.module.css'
import classes from './server-page.module.css'
import { sizeKeys } from './use-server-settings.ts'

function valueOf({ key, isSecret, isSet, value }: ServerSettingDto) {
  if (isSecret) {
    return isSet ? t.server.secretSet : t.server.secretUnset
  }
  if (value === null || value === '[]') {
    return t.common.none
  }
  return sizeKeys.has(key) && Number(value) > 0 ? byteSize(Number(value)) : value
}

/** Every setting that has an effect, with its value, its source, and what a change needs. */
export function SettingsTable() {
  const { data: settings = [] } = useQuery(serverQueries.serverSettings)
  const [search, setSearch] = useState('')
  const [isOnlySet, setIsOnlySet] = useState(false)
  const wanted = search.trim().toLowerCase()
  const rows = settings.filter(
    (setting) =>
      (!isOnlySet || setting.isSet) && `${setting.variable} ${setting.description}`.toLowerCase().includes(wanted),
  )
  return (
    <section className={classes.section} id="environment" aria-label={t.server.inForce}>
      <h2>{t.server.inForce}</h2>
      <p className="muted">{t.server.inForceHint}</p>
      <Group gap="12px 24px" my={12}>
        <TextInput
          flex="1 1 200px"
          maw={360}
          type="search"
          role="searchbox"
          aria-label={t.server.searchSettings}
          placeholder={t.server.searchSettings}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          {...textProps(search, setSearch)}
        />
        <Checkbox label={t.server.onlySet} {...checkProps(isOnlySet, setIsOnlySet)} />
      </Group>
      {rows.length === 0 ? (
        <p className="muted">{t.server.noSetting}</p>
      ) : (
        <div className={card.frame} tabIndex={0} role="group" aria-label={t.server.inForce}>
          <table className={classes.table}>
            <thead>
              <tr>
                {[t.server.setting, t.server.value, t.server.source, t.server.effect].map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((setting) => (
                <tr key={setting.key}>
                  <th scope="row">
                    <code>{setting.variable}</code>
                    <span className="small muted">{setting.description}</span>
                  </th>
                  <td className={classes.value} title={setting.value ?? undefined}>
                    {visibleName(valueOf(setting))}
                  </td>
                  <td data-label={t.server.source}>{t.server.sources[setting.source]}</td>
                  <td data-label={t.server.effect}>{t.server.effects[setting.takesEffect]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
