// A color, typed or picked with the browser's own picker.
import { TextField } from "@shopify/polaris";
import { useTranslation } from "react-i18next";

const IS_COLOR = /^#[0-9a-f]{6}$/i;
/** The picker has no empty value: a faint black is no color. */
const NO_COLOR = { value: "#000000", opacity: 0.2 };

type Props = {
  label: string;
  value: string;
  name?: string;
  help?: string;
  isReadOnly?: boolean;
  /** What is wrong with it; `true` when the text about it stands elsewhere. */
  problem?: string | boolean | undefined;
  onChange(value: string): void;
};

export const isColor = (value: string): boolean => IS_COLOR.test(value);

export function ColorField({
  label,
  value,
  name,
  help,
  isReadOnly = false,
  problem,
  onChange,
}: Props) {
  const { t } = useTranslation("frame");
  const picked = isColor(value) ? { value, opacity: 1 } : NO_COLOR;
  return (
    <TextField
      label={label}
      autoComplete="off"
      value={value}
      disabled={isReadOnly}
      onChange={(typed) => onChange(typed.trim())}
      {...(name !== undefined && { name })}
      {...(help !== undefined && { helpText: help })}
      {...(problem !== undefined && { error: problem })}
      prefix={
        <input
          type="color"
          aria-label={t("pickColor", { name: label })}
          value={picked.value}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          style={{
            width: 24,
            height: 24,
            padding: 0,
            border: 0,
            background: "none",
            opacity: picked.opacity,
          }}
        />
      }
    />
  );
}
