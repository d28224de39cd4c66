//! The supported providers and their default settings.

use std::str::FromStr;

/// The protocol of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `POST /v1/embeddings`, as defined by OpenAI.
    OpenAi,
    /// `POST /embed` of cortex-embed.
    Cortex,
}

/// A provider of embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI, or any service with its protocol.
    OpenAi,
    /// Jina AI.
    Jina,
    /// Voyage AI.
    Voyage,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// Hugging Face's text-embeddings-inference.
    Tei,
    /// vLLM.
    Vllm,
    /// cortex-embed.
    Cortex,
}

/// The default settings of a provider.
pub(super) struct Preset {
    pub name: &'static str,
    pub base_url: &'static str,
    /// Empty if the service is started with its model.
    pub model: &'static str,
    /// The environment variable of its key; empty if it needs none.
    pub key_variable: &'static str,
    /// Texts in one request.
    pub batch: usize,
    /// The maximum bytes of a text. A token of code has two to four bytes; a text that is still too long is split after the
    /// service rejects it.
    pub longest: usize,
    /// The hint when it cannot be reached.
    pub start: &'static str,
}

const PRESETS: [(Provider, Preset); 8] = [
    (
        Provider::OpenAi,
        Preset {
            name: "openai",
            base_url: "https://api.openai.com/v1",
            model: "text-embedding-3-small",
            key_variable: "OPENAI_API_KEY",
            batch: 128,
            longest: 16_000,
            start: "check the network, or `base_url`",
        },
    ),
    (
        Provider::Jina,
        Preset {
            name: "jina",
            base_url: "https://api.jina.ai/v1",
            model: "jina-embeddings-v3",
            key_variable: "JINA_API_KEY",
            batch: 64,
            longest: 16_000,
            start: "check the network, or `base_url`",
        },
    ),
    (
        Provider::Voyage,
        Preset {
            name: "voyage",
            base_url: "https://api.voyageai.com/v1",
            model: "voyage-code-3",
            key_variable: "VOYAGE_API_KEY",
            batch: 64,
            longest: 32_000,
            start: "check the network, or `base_url`",
        },
    ),
    (
        Provider::Ollama,
        Preset {
            name: "ollama",
            base_url: "http://localhost:11434/v1",
            model: "nomic-embed-text",
            key_variable: "",
            batch: 32,
            longest: 4_000,
            start: "`ollama serve` starts it",
        },
    ),
    (
        Provider::LmStudio,
        Preset {
            name: "lmstudio",
            base_url: "http://localhost:1234/v1",
            model: "",
            key_variable: "",
            batch: 32,
            longest: 4_000,
            start: "start LM Studio's server, or correct `base_url`",
        },
    ),
    (
        Provider::Tei,
        Preset {
            name: "tei",
            base_url: "http://localhost:8080/v1",
            model: "",
            key_variable: "",
            batch: 32,
            longest: 8_000,
            start: "start text-embeddings-inference, or correct `base_url`",
        },
    ),
    (
        Provider::Vllm,
        Preset {
            name: "vllm",
            base_url: "http://localhost:8000/v1",
            model: "",
            key_variable: "",
            batch: 64,
            longest: 16_000,
            start: "start vLLM, or correct `base_url`",
        },
    ),
    (
        Provider::Cortex,
        Preset {
            name: "cortex",
            base_url: "http://localhost:8121",
            model: "bge-small-en-v1.5",
            key_variable: "",
            batch: 64,
            // The service silently truncates after 512 tokens.
            longest: 1_200,
            start: "start cortex-embed, or correct `base_url`",
        },
    ),
];

/// The dimensions of common models, which saves a request.
const MODELS: [(&str, usize); 15] = [
    ("text-embedding-3-small", 1536),
    ("text-embedding-3-large", 3072),
    ("text-embedding-ada-002", 1536),
    ("jina-embeddings-v3", 1024),
    ("jina-embeddings-v4", 2048),
    ("jina-embeddings-v2-base-code", 768),
    ("jina-embeddings-v2-base-en", 768),
    ("voyage-code-3", 1024),
    ("voyage-3.5", 1024),
    ("voyage-3.5-lite", 1024),
    ("voyage-3-large", 1024),
    ("nomic-embed-text", 768),
    ("mxbai-embed-large", 1024),
    ("all-minilm", 384),
    ("bge-small-en-v1.5", 384),
];

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 8] = [
        Provider::OpenAi,
        Provider::Jina,
        Provider::Voyage,
        Provider::Ollama,
        Provider::LmStudio,
        Provider::Tei,
        Provider::Vllm,
        Provider::Cortex,
    ];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        self.preset().name
    }

    /// Its protocol.
    pub fn protocol(self) -> Protocol {
        if self == Self::Cortex { Protocol::Cortex } else { Protocol::OpenAi }
    }

    /// The environment variable of its key; `None` if it needs none.
    pub fn key_variable(self) -> Option<&'static str> {
        Some(self.preset().key_variable).filter(|name| !name.is_empty())
    }

    pub(super) fn preset(self) -> &'static Preset {
        &PRESETS[self as usize].1
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|provider| provider.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|provider| provider.name()).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

/// The dimensions of a common model. A tag after a colon does not matter.
pub(super) fn known_dimensions(model: &str) -> Option<usize> {
    let model = model.split(':').next().unwrap_or(model);
    MODELS.iter().find(|(name, _)| *name == model).map(|(_, dimensions)| *dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_a_preset() {
        for (provider, (of, preset)) in Provider::ALL.iter().zip(&PRESETS) {
            assert_eq!(provider, of);
            assert_eq!(preset.name.parse(), Ok(*provider));
            assert!(preset.model.is_empty() || known_dimensions(preset.model).is_some());
        }
        assert!("unknown".parse::<Provider>().unwrap_err().contains("ollama"));
        assert_eq!(known_dimensions("nomic-embed-text:v1.5"), Some(768));
    }
}
